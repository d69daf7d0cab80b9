import type { ViewPart } from "@pawl/core/view";
import type { PartOf } from "./outcome.tsx";

const LEFT_OUT: Record<PartOf<"left_out">["by"], string> = {
  size: "The conversation was too long for the model, so it now reads the longest parts shortened.",
  filter: "The model's provider refused the text before this, so the model does not read it any more.",
  model: "The model refused what was sent before this, so it does not read it any more.",
  files: "The model could not read the files before this, so they are not sent to it any more.",
  hook: "Your message is left out of the conversation from now on.",
  signature: "",
};

/** Says that the model does not read an earlier part of the conversation as it was. */
export function LeftOut({ by }: { by: PartOf<"left_out">["by"] }) {
  return (
    <p className="notice" data-testid="left-out">
      {LEFT_OUT[by]}
    </p>
  );
}

/** Says why the run stopped. */
export function Notice({ part }: { part: PartOf<"notice"> }) {
  return (
    <p className={`notice notice-${part.stop}`} data-testid="notice">
      {part.text}
    </p>
  );
}

/** Moves the note that a message was left out to the end, after the reason for it. */
export function reasonsFirst(parts: readonly ViewPart[]): ViewPart[] {
  const isConsequence = (part: ViewPart) => part.type === "left_out" && part.by === "hook";
  return [...parts.filter((part) => !isConsequence(part)), ...parts.filter(isConsequence)];
}
