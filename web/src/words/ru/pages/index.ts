import lists from "./lists.json";
import search from "./search.json";

/** Texts of the pages of things and lists. */
export default { lists, search };
