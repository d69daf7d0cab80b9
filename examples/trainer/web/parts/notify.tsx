import { fieldsOf, type MarkdownView, type ToolPartProps, textIn } from "../base/seam.ts";
import { WorkoutCard } from "../card/workout-card.tsx";
import { deliveryOf } from "../workout/story.ts";

/** A message of the agent, with the workout that it delivers. */
export function Notify({ part, talk, Markdown }: ToolPartProps & { Markdown: MarkdownView }) {
  if (part.phase === "error" || part.phase === "skipped") return null;
  const words = wordsIn(part);
  const delivered = deliveryOf(part);
  return (
    <>
      {words !== undefined && <Markdown text={words} />}
      {delivered !== undefined && (
        <WorkoutCard artifactId={delivered.artifact_id} callId={part.callId} talk={talk} />
      )}
    </>
  );
}

/** Returns the message of a call. The call's input has it as soon as the call is stored. */
export function wordsIn({ arguments: said, result }: ToolPartProps["part"]): string | undefined {
  return textIn(fieldsOf(said).message) ?? textIn(fieldsOf(result).message);
}
