import { fieldsOf, type MarkdownView, type ToolPartProps, textIn } from "../base/seam.ts";
import { WorkoutCard } from "../card/workout-card.tsx";
import { deliveryOf } from "../workout/story.ts";

/** What the agent says, with what it hands over. */
export function Notify({ part, talk, Markdown }: ToolPartProps & { Markdown: MarkdownView }) {
  if (part.phase === "error") return null;
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

/** They are there as soon as the call is on record, before it has run. */
export function wordsIn({ arguments: said, result }: ToolPartProps["part"]): string | undefined {
  return textIn(fieldsOf(said).message) ?? textIn(fieldsOf(result).message);
}
