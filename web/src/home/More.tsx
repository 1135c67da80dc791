import { useTranslations } from "use-intl";
import { Button } from "@/parts";

/** How many more there are, and the way to them, if they are here. */
export function More({ count, onAll }: { count: number; onAll: (() => void) | null }) {
  const words = useTranslations("home");
  if (!onAll) return <p className="mute">{words("more", { count })}</p>;
  return (
    <p>
      <Button look="bare" onClick={onAll}>
        {words("more", { count })}
      </Button>
    </p>
  );
}
