import { useId } from "react";
import { useCoaching } from "./coach-frame.tsx";
import { KINDS } from "./kinds.ts";

/** Lets the user choose a kind of conversation and a first message. */
export function Begin({ onStart }: { onStart: (text: string) => void }) {
  const { type, setType, name: called, setName } = useCoaching();
  const name = useId();
  const chosen = KINDS.find((kind) => kind.type === type) ?? KINDS[0];
  return (
    <>
      <fieldset className="kinds" data-testid="session-types">
        <legend>Begin as</legend>
        <div className="kinds-row">
          {KINDS.map((kind) => (
            <label key={kind.type} className="kind">
              <input
                type="radio"
                name={name}
                value={kind.type}
                checked={kind.type === type}
                onChange={() => setType(kind.type)}
              />
              <span>{kind.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <p className="kind-about" aria-live="polite">
        {chosen.about}
      </p>
      <ul className="starters" aria-label="Ways to begin">
        {chosen.starters.map((text) => (
          <li key={text}>
            <button type="button" className="starter" data-testid="starter" onClick={() => onStart(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      <label className="called">
        <span>Your name, if you like</span>
        <input
          type="text"
          maxLength={80}
          autoComplete="given-name"
          value={called}
          data-testid="display-name"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
    </>
  );
}
