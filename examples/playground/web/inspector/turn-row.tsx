import {
  hitRateOf,
  lasted,
  type Span,
  sumOf,
  type TimelineAttempt,
  type TimelineCall,
  type TimelineTurn,
} from "@pawl/core/inspect";
import type { Place } from "./axis.ts";
import { count, money, share, time } from "./words.ts";

interface TurnRowProps {
  turn: TimelineTurn;
  place: (span: Span) => Place;
  now: number;
  /** Shows the conversation as it was at this event. */
  onGoTo: (seq: number) => void;
}

/**
 * Shows one turn: its cost, the share of its tokens that came from the cache, and bars for its attempts and
 * tools.
 */
export function TurnRow({ turn, place, now, onGoTo }: TurnRowProps) {
  const { tokens, costUsd } = sumOf([...turn.attempts, ...turn.calls]);
  const last = turn.attempts.at(-1);
  const seq = Math.max(last?.seq ?? 0, ...turn.calls.map((call) => call.seq));
  return (
    <li className="turn" data-testid="turn">
      <h4>
        <button type="button" className="text-button" title="Replay up to here" onClick={() => onGoTo(seq)}>
          Turn {turn.turn}
        </button>
        <span className="turn-model">{last?.model}</span>
      </h4>
      <p className="turn-facts">
        {count(tokens.prompt + tokens.cached + tokens.cache_write)} in, {count(tokens.completion)} out ·{" "}
        {share(hitRateOf(tokens))} cached · {money(costUsd)}
      </p>
      <ul className="bars">
        {turn.attempts.map((attempt, at) => (
          <Bar
            key={attempt.seq}
            kind={attempt.outcome === "failed" ? "trouble" : "model"}
            place={place(attempt)}
            words={wordsFor(attempt, at, now)}
          />
        ))}
        {turn.calls.map((call) => (
          <Bar
            key={call.seq}
            kind={call.phase === "error" ? "trouble" : "tool"}
            place={place(call)}
            words={callWords(call, now)}
          />
        ))}
      </ul>
      {turn.attempts.map(
        ({ seq, difference }) =>
          difference !== undefined && (
            <p key={seq} className={`turn-difference turn-${difference.change}`} data-testid="difference">
              {difference.change === "added" ? "New from " : `${difference.change} at `}
              <code>{difference.path}</code>
              {difference.change === "added"
                ? "; everything before is unchanged"
                : "; cached only up to there"}
            </p>
          ),
      )}
    </li>
  );
}

function Bar({ kind, place, words }: { kind: string; place: Place; words: string }) {
  const style = { marginInlineStart: `${place.start * 100}%`, inlineSize: `${place.length * 100}%` };
  return (
    <li className={`bar bar-${kind}`}>
      <span className="bar-words">{words}</span>
      <span className="bar-track" aria-hidden="true">
        <span className="bar-span" style={style} />
      </span>
    </li>
  );
}

function wordsFor(
  { outcome, stopReason, from, to = from }: TimelineAttempt,
  at: number,
  now: number,
): string {
  const name = at === 0 ? "Model" : `Model, attempt ${at + 1}`;
  if (outcome === undefined) return `${name}: writing for ${time(now - from)}`;
  return `${name}: ${outcome === "failed" ? "failed" : stopReason} after ${time(to - from)}`;
}

function callWords(call: TimelineCall, now: number): string {
  const { connector, code, summary } = call;
  const name = connector === undefined ? call.toolName : `${call.toolName} (${connector})`;
  const outcome = code === undefined ? "" : `, ${code}`;
  return `${name}: ${phaseWords(call, now)}${outcome}${summary === undefined ? "" : `. ${summary}`}`;
}

function phaseWords({ phase, waits, from, to = from }: TimelineCall, now: number): string {
  const waited = lasted(waits, now);
  if (phase === "waiting") return `waiting for you, ${time(waited)} so far`;
  const worked = time(Math.max(0, (phase === "running" ? now : to) - from - waited));
  return `${phase}, ${worked}${waited > 0 ? `, and ${time(waited)} waiting for you` : ""}`;
}
