import { type OptionKinds, PawlError } from "@pawl/core";
import { kindOf } from "@pawl/core/tools";

/** Options of `aiSdk()`. */
export interface AiSdkOptions {
  /**
   * What happens on the page to the text of a failed attempt. Default: `mark`.
   *
   * - `mark`: the text's parts stay in the message, with `providerMetadata.pawl.void`. Your app must hide
   *   them.
   * - `reset`: a `reset-step` event removes them. Requires AI SDK 7.0.70 or newer in all clients: in older
   *   ones the event ends the stream with an error, and the run continues.
   */
  lostText?: "mark" | "reset";
  /**
   * What `GET /runs/:id` has of a message in progress. Default: `show`.
   *
   * - `show`: its parts so far.
   * - `hide`: nothing, so that the user's message is the last one. For pages that resume only if it is: the
   *   stream sends the whole message.
   */
  inProgress?: "show" | "hide";
  /**
   * Whether a page that connects gets the error of a run that had failed before. Default: `true`. With
   * `false` the run just ends, for pages that let the user send nothing while `status` is `error`. A page
   * that was connected gets the error in any case.
   */
  replayFailures?: boolean;
  /**
   * Returns the text of the error event with which a stream ends: `chat.error.message` on the page. `code`
   * is the run's stop type, or the code of an error of Pawl. Default: the message, which is written for the
   * user.
   */
  errorText?(failure: { code: string; message: string }): string;
}

/** How the option `inProgress` is checked. */
export const IN_PROGRESS: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe: '"show" or "hide"',
  is: (value) => value === "show" || value === "hide",
};

export const OPTIONS: OptionKinds<AiSdkOptions> = {
  lostText: {
    mustBe: '"mark" or "reset"',
    is: (value) => value === "mark" || value === "reset",
    isPublic: true,
  },
  inProgress: IN_PROGRESS,
  replayFailures: "boolean",
  errorText: "function",
};

/** Returns the function that makes the text of an error, checked. */
export function checkedText(
  errorText: Required<AiSdkOptions>["errorText"] = ({ message }) => message,
): Required<AiSdkOptions>["errorText"] {
  return (failure) => {
    const text: unknown = errorText(failure);
    if (typeof text === "string") return text;
    const message = `\`errorText\` of aiSdk() must return a string; got ${kindOf(text)}.`;
    throw new PawlError("config", message);
  };
}
