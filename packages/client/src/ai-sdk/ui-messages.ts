/** What these functions look at of a part of a `UIMessage`, of version 6 or 7 of the AI SDK. */
export interface UiPart {
  readonly type: string;
  readonly state?: string;
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: { readonly [provider: string]: unknown };
}

/** What {@link answersAreComplete} looks at. */
export interface UiMessages {
  readonly messages: readonly { readonly role: string; readonly parts: readonly object[] }[];
}

/**
 * For `sendAutomaticallyWhen` of `useChat`: the user has answered everything that the agent waits for, and
 * the server does not know yet. The SDK's own predicates look at one kind of question each, and take answers
 * that the server has long had for new ones.
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
 * Whether a part is text of an attempt that failed, which the agent has said anew: leave it out. Clients of
 * version 6 cannot take back what they have shown.
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
