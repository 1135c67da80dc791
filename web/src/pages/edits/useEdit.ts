import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { type Failure, request, useForget } from "@/api";
import { useToast } from "@/parts";

/** One change by hand: the route below /api/v2 and what is sent to it. */
export interface Change {
  route:
    | "tag"
    | "own"
    | "describe"
    | "hide"
    | "edits/undo"
    | "edits/lineage"
    | "edits/create"
    | "locations/merge"
    | "locations/split"
    | "locations/addresses";
  body: Record<string, unknown>;
}

/** Makes changes by hand: several one after the other; then everything that is shown is asked for again. */
export function useEdit(done: () => void) {
  const words = useTranslations("pages.edits");
  const toast = useToast();
  const forget = useForget();
  return useMutation<null, Failure, readonly Change[]>({
    mutationFn: async (changes) => {
      for (const { route, body } of changes)
        await request("POST", `/api/v2/${route}`, { body: { ...body, via: "UI" } });
      return null;
    },
    onSuccess: () => {
      toast(words("saved"));
      done();
    },
    onSettled: () => forget("/api/v2/"),
  });
}
