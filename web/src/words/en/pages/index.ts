import assets from "./assets.json";
import column from "./column.json";
import dataset from "./dataset.json";
import edits from "./edits.json";
import entity from "./entity.json";
import job from "./job.json";
import lists from "./lists.json";
import run from "./run.json";
import search from "./search.json";
import things from "./things.json";

/** Texts of the pages of things and lists. */
export default { assets, column, dataset, edits, entity, job, lists, run, search, things };
