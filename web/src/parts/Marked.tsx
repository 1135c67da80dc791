/** A text cut at its marks; the server counts characters (code points), JavaScript counts UTF-16 units. */
export function cutMarks(
  text: string,
  marks: readonly (readonly number[])[],
): { start: number; text: string; marked: boolean }[] {
  const letters = Array.from(text);
  const found: { start: number; text: string; marked: boolean }[] = [];
  let at = 0;
  const add = (end: number, marked: boolean) => {
    if (end > at) found.push({ start: at, text: letters.slice(at, end).join(""), marked });
    at = Math.max(at, end);
  };
  for (const [start = 0, end = 0] of [...marks].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
    add(Math.min(start, letters.length), false);
    add(Math.min(end, letters.length), true);
  }
  add(letters.length, false);
  return found;
}

/** A text with the words that were searched for marked. */
export function Marked({ text, marks }: { text: string; marks: readonly (readonly number[])[] }) {
  return (
    <bdi>
      {cutMarks(text, marks).map((part) =>
        part.marked ? <mark key={part.start}>{part.text}</mark> : <span key={part.start}>{part.text}</span>,
      )}
    </bdi>
  );
}
