export { LineageCanvas, type LineageCanvasProps } from "./LineageCanvas";
