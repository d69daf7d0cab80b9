import { Avatar } from "../base/icons.tsx";
import type { Person } from "../base/server.ts";
import { clipped } from "../base/words.ts";

/** How many people besides the author are named. */
const NAMED = 6;

interface PeopleProps {
  owner: Person;
  others: readonly Person[];
  time: string;
}

/** The author of a document, when it is from, and who else is involved. */
export function People({ owner, others, time }: PeopleProps) {
  const named = others.slice(0, NAMED).map(({ name }) => clipped(name, 60));
  const rest = others.length - named.length;
  const team = [owner.role, owner.team].filter((one) => one !== "").join(", ");
  return (
    <div className="es-people">
      <Avatar initials={owner.initials} name={owner.name} />
      <p>
        <strong>{clipped(owner.name, 100)}</strong>
        {team !== "" && <span className="es-soft"> · {clipped(team, 120)}</span>}
        <br />
        <span className="es-soft">{time}</span>
        {named.length > 0 && (
          <>
            <br />
            <span className="es-soft">
              with {named.join(", ")}
              {rest > 0 && ` and ${rest} more`}
            </span>
          </>
        )}
      </p>
    </div>
  );
}
