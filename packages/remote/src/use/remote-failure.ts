import { outcomeUnknown, withoutHidden } from "@pawl/core/tools";

/** Whether the tool may have run: `no`, `maybe`, or `yes`. */
export type Ran = "no" | "maybe" | "yes";

/**
 * How a request to a tool's server failed. The message is a clause with a full stop, or, if the tool ran, the
 * tool's own message. It has no invisible characters.
 */
export class RemoteFailure extends Error {
  /** What the log stores as the call's error code, e.g. `ECONNREFUSED` or `http_500`. */
  readonly code: string;
  readonly ran: Ran;
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { code, ran, isPassing = false, retryAfterMs }: FailureFacts) {
    super(withoutHidden(message));
    this.code = code;
    this.ran = ran;
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }

  /** Returns the failure of a call of which an earlier attempt may have run the tool. */
  after(earlier: Ran): RemoteFailure {
    if (earlier === "no" || this.ran !== "no") return this;
    return new RemoteFailure(this.message, { ...this, ran: "maybe" });
  }

  /** Returns what the model reads. */
  forModel(): string {
    if (this.ran === "maybe") return outcomeUnknown(this.message);
    return this.ran === "no" ? `Not run: ${this.message}` : this.message;
  }
}

interface FailureFacts {
  code: string;
  ran: Ran;
  isPassing?: boolean;
  retryAfterMs?: number | undefined;
}

/** Errors of a connection that was never made, so that no request was sent. */
const NOT_SENT: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
];

/** Returns the failure for an error of `fetch`, or of reading its response. */
export function connectionFailure(cause: unknown): RemoteFailure {
  const code = codeIn(cause) ?? "connection_failed";
  const isSent = !NOT_SENT.includes(code);
  const what = isSent
    ? "the connection to the tool's server broke off"
    : "the tool's server cannot be reached";
  return new RemoteFailure(`${what} (${code}).`, { code, ran: isSent ? "maybe" : "no", isPassing: true });
}

/** Returns the code of an error or of its cause. */
function codeIn(cause: unknown, depth = 4): string | undefined {
  const { code, cause: inner } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && /^\w{1,64}$/.test(code)) return code;
  return depth === 0 || inner === undefined ? undefined : codeIn(inner, depth - 1);
}

/** Returns the failure for a server that has not answered in time. */
export function noAnswer(timeoutMs: number): RemoteFailure {
  const message = `the tool's server has not answered within ${timeoutMs} ms.`;
  return new RemoteFailure(message, { code: "timed_out", ran: "maybe", isPassing: true });
}
