import { useId } from "react";
import { Avatar } from "../base/icons.tsx";
import type { Person } from "../base/server.ts";
import type { Fields } from "./fields.ts";

interface Props {
  fields: Fields;
  /** The people that are offered. */
  others: readonly Person[];
  change(changes: Partial<Fields>): void;
}

const CHOICES = [
  ["nobody", "Nobody"],
  ["workspace", "Everybody in your workspace"],
  ["people", "Some people"],
] as const;

/** With whom an agent is shared. */
export function Sharing({ fields, others, change }: Props) {
  const id = useId();
  return (
    <fieldset>
      <legend>Shared with</legend>
      {CHOICES.map(([shared, words]) => (
        <label key={shared} className="es-agent-check">
          <input
            type="radio"
            name={id}
            checked={fields.shared === shared}
            onChange={() => change({ shared })}
          />
          {words}
        </label>
      ))}
      {fields.shared === "people" && (
        <div className="es-agent-people">
          {others.map(({ email, name, initials, team, department }) => (
            <label key={email} className="es-agent-check">
              <input
                type="checkbox"
                checked={fields.chosen.includes(email)}
                onChange={({ currentTarget: { checked } }) => {
                  const rest = fields.chosen.filter((one) => one !== email);
                  change({ chosen: checked ? [...rest, email] : rest });
                }}
              />
              <Avatar initials={initials} name={name} />
              <span>
                {name} <span className="es-soft">· {team || department}</span>
              </span>
            </label>
          ))}
          <label className="es-agent-field">
            Other addresses, with commas between them
            <input
              className="es-field"
              value={fields.others}
              autoComplete="off"
              inputMode="email"
              onChange={({ currentTarget: { value } }) => change({ others: value })}
            />
          </label>
        </div>
      )}
    </fieldset>
  );
}
