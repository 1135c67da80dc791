import { ReactFlowProvider } from "@xyflow/react";
import { Answer, Skeleton } from "@/parts";
import { useMoment, useView } from "@/view";
import { Drawn } from "./Drawn";
import { usePicture } from "./usePicture";
import { CANVAS_VIEW } from "./view";

export interface LineageCanvasProps {
  /** Id, key or name of a dataset, column, job or run. */
  id: string;
  /** A moment, or the id of another run: what differs from it is coloured. */
  compared?: string | null;
  /** Instead of the moment of the frame. */
  moment?: string | null;
  /** Whether the slider of moments is offered. */
  slider?: boolean;
}

/** The lineage of something as a picture, with what is selected explained beside it. Takes all the room that it is given. */
export function LineageCanvas({ id, compared = null, moment, slider = true }: LineageCanvasProps) {
  const [view] = useView(CANVAS_VIEW);
  const own = useMoment();
  const at = moment === undefined ? own : moment;
  const { answer, withColumns } = usePicture(id, view, at, compared);
  return (
    <Answer of={answer} skeleton={<Skeleton lines={8} height={48} />}>
      {(picture) => (
        <ReactFlowProvider>
          <Drawn
            id={id}
            picture={withColumns ?? picture}
            isOld={answer.isPlaceholderData}
            moment={at}
            slider={slider && compared === null}
          />
        </ReactFlowProvider>
      )}
    </Answer>
  );
}
