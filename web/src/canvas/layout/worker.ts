import { type Asked, answered } from "./asked";

/** Lays out off the page's own thread; questions are answered in the order in which they come. */
onmessage = (event: MessageEvent<{ id: number; asked: Asked }>) => {
  postMessage({ id: event.data.id, answer: answered(event.data.asked) });
};
