import { useTranslations } from "use-intl";
import { cutMiddle } from "@/parts";
import type { NodeMark, PictureNode } from "../records";

const RETRACTED: NodeMark = { code: "retracted", tone: "failed" };

/** The words on a card: those that its picture gives it, and that its publisher has withdrawn it. */
export function marksOf({ marks = [], retracted_at }: Pick<PictureNode, "marks" | "retracted_at">): NodeMark[] {
  const isSaid = marks.some(({ code }) => code === "retracted");
  return retracted_at && !isSaid ? [...marks, RETRACTED] : [...marks];
}

/** The word of a mark in the language of the page; a decision is in the words of the overlay. */
export function useMarkWord(): (mark: NodeMark) => string {
  const words = useTranslations("canvas.card.mark");
  return (mark) => (mark.code === "decision" ? cutMiddle(mark.text ?? "", 24) : words(mark.code));
}
