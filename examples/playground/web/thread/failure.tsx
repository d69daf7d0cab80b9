import type { AgentFailure } from "@pawl/client";
import { useFace } from "../face/face.ts";
import { hashOf } from "../hooks/use-address.ts";

interface FailureProps {
  failure: AgentFailure;
  /** Retries what failed. Absent if a retry cannot help. */
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["network", "The server can't be reached."],
  ["store_unavailable", "Your conversation can't be saved right now. Please try again in a moment."],
  ["already_answered", "This question has been answered already, perhaps in another tab."],
  ["unknown_call", "This question is no longer open."],
  ["invalid_answer", "This answer doesn't fit the question. Please choose another one."],
  ["not_found", "This conversation can't be found. It may belong to another browser."],
  ["rate_limited", "That was a lot at once. Please wait a moment and try again."],
  ["too_large", "That message is too long. Please shorten it."],
]);

/** Shows what went wrong, in words for the user, and what they can do. */
export function Failure({ failure, onRetry, onDismiss }: FailureProps) {
  const { name: agent, voice, notFound } = useFace();
  const busy = `${voice} is still busy with the last message. Please try again in a moment.`;
  const own = new Map([["session_busy", busy], ...(notFound ? [["not_found", notFound] as const] : [])]);
  return (
    <div className="failure" role="alert" data-testid="error">
      <p>
        {own.get(failure.code) ?? WORDS.get(failure.code) ?? failure.message}
        {failure.text !== undefined && " Nothing is lost: your message is back below."}
      </p>
      <div className="failure-actions">
        {failure.code === "not_found" && (
          <a className="text-button" href={hashOf({ agent })}>
            New conversation
          </a>
        )}
        {onRetry !== undefined && (
          <button type="button" className="text-button" onClick={onRetry} data-testid="retry">
            Try again
          </button>
        )}
        {onDismiss !== undefined && (
          <button type="button" className="text-button" onClick={onDismiss}>
            Dismiss
          </button>
        )}
      </div>
    </div>
  );
}
