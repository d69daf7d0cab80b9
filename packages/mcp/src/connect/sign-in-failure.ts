import { messageOf } from "@pawl/core";
import { withoutKeys } from "@pawl/core/model";
import { McpFailure } from "../base/failure.ts";

/** Reports to the developer why a sign-in or a refresh has failed. */
export type OnSignInError = (error: Error) => void;

/** The longest reason, in characters. */
const MOST_CHARS = 500;

/**
 * Turns an error into one that people may read, and reports its reason. The reason is also the failure's
 * `cause`.
 *
 * @param message for people and the model
 * @param secrets what the reason must not repeat: an authorization server may put all that it was sent into
 * its error
 */
export function signInFailure(
  message: string,
  thrown: unknown,
  { secrets, onError }: { secrets: readonly (string | undefined)[]; onError: OnSignInError },
): McpFailure {
  const known = secrets.filter((secret) => secret !== undefined);
  const reason = withoutKeys(wholeReason(thrown), known).slice(0, MOST_CHARS);
  const failure = refused(message);
  failure.cause = new Error(reason);
  onError(new Error(`${message} The reason: ${reason}`));
  return failure;
}

/** Returns the failure of a sign-in, with what people may read. */
export function refused(message: string): McpFailure {
  return new McpFailure("mcp_unauthorized", "not_sent", message);
}

/** Returns the message of an error, and of its causes: `fetch` says only there what is wrong. */
function wholeReason(thrown: unknown): string {
  const messages: string[] = [];
  for (let error = thrown; error !== undefined && messages.length < 3; error = Object(error).cause) {
    const { code } = Object(error) as { code?: unknown };
    const message = messageOf(error);
    messages.push(typeof code === "string" && !message.includes(code) ? `${code}: ${message}` : message);
  }
  return messages.join(" Cause: ");
}
