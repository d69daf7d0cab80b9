import { type QuestionProps, useFace } from "../agents/face.ts";
import { Options } from "./options.tsx";

/** A question that waits, in its agent's way or with a button for each option. */
export function Asked({ question, answer }: QuestionProps) {
  const Own = useFace().questions?.[question.kind] ?? Options;
  return <Own question={question} {...(answer && { answer })} />;
}
