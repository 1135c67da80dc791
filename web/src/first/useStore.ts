import { type Failure, useAnswer } from "@/api";

const LOOK_AGAIN = 2000;

export interface StoreState {
  /** null while it is not known. */
  isEmpty: boolean | null;
  /** Ids of what arrived first. */
  first: { job: string | null; dataset: string | null };
  error: Failure | null;
  again: () => void;
}

/** Whether anything has ever arrived; looked at again every two seconds while nothing has. */
export function useStore(): StoreState {
  const jobs = useAnswer("/api/v2/jobs", { limit: 1 }, { every: LOOK_AGAIN });
  const datasets = useAnswer("/api/v2/datasets", { limit: 1 }, { every: LOOK_AGAIN });
  const known = jobs.data && datasets.data;
  return {
    isEmpty: known ? jobs.data.total + datasets.data.total === 0 : null,
    first: { job: jobs.data?.items[0]?.id ?? null, dataset: datasets.data?.items[0]?.id ?? null },
    error: known ? null : (jobs.error ?? datasets.error),
    again: () => {
      void jobs.refetch();
      void datasets.refetch();
    },
  };
}
