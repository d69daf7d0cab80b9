import type { ViewMessage, ViewPart } from "@pawl/core/view";
import { useEffect, useRef, useState } from "react";

/** A user's budget of tokens. */
export interface Budget {
  used: number;
  /** Set aside for runs in progress, and not used yet. */
  reserved: number;
  limit: number;
  /** Whether a user without a budget may ask once for free. Default: false. */
  preview?: boolean;
}

/** Reads the user's budget. Rejects if it cannot be read now. */
export type ReadBudget = (signal: AbortSignal) => Promise<Budget>;

export interface BudgetState {
  /** The latest budget. `undefined` until the first one is read. */
  budget: Budget | undefined;
  /** An estimate of the tokens that were written since then. */
  written: number;
}

/** A token has about so many characters of English text. */
const CHARACTERS = 4;
/** When to read after a change, in milliseconds. The last use of a run is charged after its answer. */
const READS_MS = [100, 2_000];

/**
 * Reads the budget when the page opens and whenever a part of an answer is complete. In between it estimates
 * what is being written, so that a meter moves. `writing`: a run is in progress.
 */
export function useBudget(read: ReadBudget, messages: readonly ViewMessage[], writing: boolean): BudgetState {
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  const closed = parts.filter((part) => !isBeingWritten(part));
  const settled = lengthOf(closed);
  const [state, setState] = useState<{ budget: Budget; settled: number }>();
  // An opened session is not being written, though its text is new here.
  const estimates = useRef(false);
  if (writing) estimates.current = true;
  const latest = useRef({ read, settled });
  latest.current = { read, settled };
  const count = closed.length;
  // A change of `count` or `writing` triggers the request, which contains neither.
  useEffect(() => {
    const control = new AbortController();
    const readNow = () => {
      const { read, settled } = latest.current;
      read(control.signal).then(
        (budget) => {
          if (control.signal.aborted) return;
          estimates.current = writing;
          setState({ budget, settled });
        },
        // The last budget stays shown, and the next change reads again.
        () => undefined,
      );
    };
    const timers = READS_MS.slice(0, writing ? 1 : undefined).map((ms) => setTimeout(readNow, ms));
    return () => {
      control.abort();
      timers.forEach(clearTimeout);
    };
  }, [count, writing]);
  const isEstimated = state !== undefined && estimates.current;
  const written = isEstimated ? Math.max(0, lengthOf(parts) - state.settled) : 0;
  return { budget: state?.budget, written: Math.ceil(written / CHARACTERS) };
}

function isBeingWritten(part: ViewPart): boolean {
  return part.type === "tool" ? part.phase === "running" : "open" in part && part.open;
}

function lengthOf(parts: readonly ViewPart[]): number {
  return parts.reduce((total, part) => total + ("text" in part ? part.text.length : 0), 0);
}

/**
 * Returns a function that reads a budget from an address. The answer has `used`, `limit`, `held` or
 * `reserved`, and `has_free_preview`.
 */
export function budgetFrom(url: string): ReadBudget {
  return async (signal) => {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    type Answer = Partial<Budget & { held: number; has_free_preview: boolean }>;
    const answer = ((await response.json()) ?? {}) as Answer;
    const { used, limit, held, reserved = held ?? 0, has_free_preview: preview } = answer;
    if (![used, limit, reserved].every(Number.isFinite)) throw new Error("The answer is not a budget.");
    return { used: Number(used), reserved, limit: Number(limit), ...(preview === true && { preview }) };
  };
}
