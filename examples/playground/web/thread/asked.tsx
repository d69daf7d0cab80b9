import { type QuestionProps, useFace } from "../face/face.ts";
import { ErrorBoundary } from "../shell/error-boundary.tsx";
import { Options } from "./options.tsx";

/** Shows a pending question: in its agent's component, or with a button for each option. */
export function Asked({ question, answer }: QuestionProps) {
  const Own = useFace().questions?.get(question.kind) ?? Options;
  return (
    <ErrorBoundary instead={<NotAsked />}>
      <Own question={question} {...(answer && { answer })} />
    </ErrorBoundary>
  );
}

function NotAsked() {
  return (
    <p className="notice" data-testid="part-not-shown">
      This question can't be shown. You can continue by writing a message below.
    </p>
  );
}
