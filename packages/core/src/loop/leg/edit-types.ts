import type { Json, JsonInput } from "../../base/json.ts";
import type { NewEvent } from "../../log/event.ts";
import type { InputFor } from "../../log/event-parts.ts";
import type { CallState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { CallInput } from "./part-types.ts";

/** A hook's change of a call's input. */
export interface InputChange {
  input: JsonInput;
  shown?: boolean;
}

/** A hook's change of a call's input, with the input before it, and the user's answer to that hook. */
export interface InputEdit extends InputChange {
  before: CallInput;
  answer?: Json;
}

/** A call that runs, or whose answer is its result. */
export interface EditedCall extends CallInput {
  call: CallState;
  tool: Tool;
}

/** The work on calls whose input hooks have changed. */
export interface EditParts<Leg> {
  /** Returns a hook's change as JSON. Throws if its `shown` is no boolean. */
  checkedChange(change: InputChange): InputChange;
  /** Returns who learns a call's input after a hook's change; `undefined` if it is what the model wrote. */
  inputForAfter(call: CallState, edit: InputEdit): InputFor | undefined;
  /**
   * Returns the result of a call whose changed input does not match the tool's schema. If a hook hides its
   * change, only the application learns the problems, which may quote the input.
   */
  refusedEdit(leg: Leg, call: CallState, edit: InputEdit, problems: readonly string[]): string;
  /** Returns the notes by which the model learns what hooks have changed. */
  editNotes(leg: Leg, calls: readonly EditedCall[]): Promise<NewEvent[]>;
}
