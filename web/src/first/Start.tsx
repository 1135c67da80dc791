import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Page } from "@/frame/Page";
import { FailureNote, Skeleton } from "@/parts";
import { FirstRun } from "./FirstRun";

const Home = lazy(() => import("@/home/Home"));

/** `/`: what is new, or, where nothing has ever arrived, how to send the first event. */
export default function Start() {
  const words = useTranslations("frame");
  const jobs = useAnswer("/api/v2/jobs", { limit: 1 });
  const datasets = useAnswer("/api/v2/datasets", { limit: 1 });
  const [isWaiting, setWaiting] = useState(false);
  const isEmpty = jobs.data && datasets.data ? jobs.data.total + datasets.data.total === 0 : null;
  if (isEmpty && !isWaiting) setWaiting(true);
  if (isWaiting) return <FirstRun onDone={() => setWaiting(false)} />;
  const failure = jobs.error ?? datasets.error;
  if (isEmpty === null)
    return (
      <Page title={words("rail.home")}>
        {failure ? <FailureNote error={failure} onRetry={() => void jobs.refetch()} /> : <Skeleton lines={8} />}
      </Page>
    );
  return (
    <Suspense
      fallback={
        <Page title={words("rail.home")}>
          <Skeleton lines={8} />
        </Page>
      }
    >
      <Home />
    </Suspense>
  );
}
