import canvas from "./canvas.json";
import changes from "./changes.json";
import first from "./first.json";
import frame from "./frame.json";
import home from "./home.json";
import operations from "./operations.json";
import overlay from "./overlay.json";
import pages from "./pages";
import parts from "./parts.json";
import questions from "./questions.json";

const messages = { canvas, changes, first, frame, home, operations, overlay, pages, parts, questions };

/** Every text of the page, by file and name; the other languages have the same ones. */
export type Messages = typeof messages;
export default messages;
