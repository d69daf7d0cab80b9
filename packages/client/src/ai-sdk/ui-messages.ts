/** The fields of a `UIMessage`'s part that this package reads. Versions 6 and 7 of the AI SDK have them. */
export interface UiPart {
  readonly type: string;
  readonly state?: string;
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: { readonly [provider: string]: unknown };
}

/** The argument of {@link answersAreComplete}, as `useChat` passes it. */
export interface UiMessages {
  readonly messages: readonly { readonly role: string; readonly parts: readonly object[] }[];
}

/**
 * Returns whether the user has answered all of the agent's questions and an answer has not been sent yet.
 * Pass it to `useChat` as the option `sendAutomaticallyWhen`, instead of the SDK's own predicates, which
 * handle one kind of question each and send known answers again.
 *
 * @example
 * ```ts
 * import { answersAreComplete } from "@pawl/client/ai-sdk";
 *
 * const part = { type: "tool-confirm", state: "output-available", output: { yes: true } };
 * console.log(answersAreComplete({ messages: [{ role: "assistant", parts: [part] }] })); // true
 * const known = { ...part, providerExecuted: true };
 * console.log(answersAreComplete({ messages: [{ role: "assistant", parts: [known] }] })); // false
 * ```
 */
export function answersAreComplete({ messages }: UiMessages): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  const calls = (last.parts as readonly UiPart[]).filter(isCall);
  return calls.some(isAnswered) && !calls.some(isWaiting);
}

function isCall({ type }: UiPart): boolean {
  return type.startsWith("tool-") || type === "dynamic-tool";
}

function isAnswered({ state, providerExecuted }: UiPart): boolean {
  if (state === "approval-responded") return true;
  return providerExecuted !== true && (state === "output-available" || state === "output-error");
}

function isWaiting({ state, providerExecuted }: UiPart): boolean {
  if (state === "approval-requested") return true;
  return providerExecuted !== true && (state === "input-available" || state === "input-streaming");
}

/**
 * Returns whether a part is text of a failed attempt, which the agent has written again. Do not show such
 * parts: `useChat` of AI SDK 6 cannot remove them.
 *
 * @example
 * ```ts
 * import { isLost } from "@pawl/client/ai-sdk";
 *
 * const parts = [
 *   { type: "text", text: "Hel", providerMetadata: { pawl: { void: true } } },
 *   { type: "text", text: "Hello." },
 * ];
 * console.log(parts.filter((part) => !isLost(part)).length); // 1
 * ```
 */
export function isLost(part: object): boolean {
  const mark = (part as UiPart).providerMetadata?.pawl;
  return mark !== null && typeof mark === "object" && "void" in mark && mark.void === true;
}
