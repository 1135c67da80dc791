import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";

export default function Home() {
  const words = useTranslations("frame");
  return <Page title={words("rail.home")}>{null}</Page>;
}
