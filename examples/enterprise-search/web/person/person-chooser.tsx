import { AgentsButton } from "../agents/agents-button.tsx";
import { Avatar } from "../base/icons.tsx";
import type { Person } from "../base/server.ts";
import { clipped } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";

/** The person whose rights a search has, and the others of the company that the visitor may be. */
export function PersonChooser() {
  const { me, index } = useSearching();
  const { person, people, chosen, failed, moved, become } = me;
  // The place is kept, so that nothing moves when the person is known.
  if (person === undefined) return index.status === "silent" ? null : <div className="es-person" />;
  const all = people.some(({ email }) => email === person.email) ? people : [person, ...people];
  return (
    <div className="es-person" data-testid="es-person">
      <label>
        <span className="es-person-as">Searching as</span>
        <span className="es-person-pick">
          <Avatar initials={person.initials} name={person.name} />
          <span className="es-person-name" aria-hidden="true">
            {clipped(person.name, 60)} <span className="es-soft">· {clipped(placeOf(person), 60)}</span>
          </span>
          <select
            value={chosen ?? person.email}
            aria-busy={chosen !== undefined}
            onChange={({ currentTarget }) => become(currentTarget.value)}
            data-testid="es-person-select"
          >
            {[...Map.groupBy(all, companyOf)].map(([company, members]) => (
              <optgroup key={company} label={company}>
                {members.map((one) => (
                  <option key={one.email} value={one.email}>
                    {one.name}, {placeOf(one)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </span>
      </label>
      {index.status === "ready" && <AgentsButton key={person.email} person={person} people={people} />}
      <p className={moved ? "es-person-moved" : "unseen"} role="status">
        {moved && `You now search as ${clipped(person.name, 60)}.`}
      </p>
      <p className="es-hint es-person-hint">
        <span className="es-key">/</span> to write
      </p>
      {failed && (
        <span role="alert" className="es-person-failed">
          Could not change.
        </span>
      )}
    </div>
  );
}

/** The domain of a person's company. People of one company see nothing of another's. */
function companyOf({ email }: Person): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

function placeOf({ role, team, department }: Person): string {
  const place = team === "" ? department : team;
  return [role, place].filter((one) => one !== "").join(", ");
}
