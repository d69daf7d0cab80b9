import { PawlError } from "@pawl/core";
import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { named } from "../base/named.ts";
import type { Location } from "./rows.ts";

/** Returns a user's locations, the current one first. */
export async function locationsOf(db: Database, userId: string): Promise<Location[]> {
  const text = `SELECT id::text AS id, name, description, equipment, current_location
    FROM trainer.user_locations l WHERE user_id = $1 ORDER BY current_location DESC, name, l.id LIMIT 100`;
  return await ask(db, text, [userId]);
}

/**
 * Makes one location the user's current one and unsets all others, in one transaction. An id takes precedence
 * over a name. Names are compared without case and surrounding blanks.
 *
 * @throws PawlError `invalid_input` without id and name, or if several of the user's locations have the name;
 * `not_found` if the user has no such location.
 */
export async function setCurrentLocation(
  db: Database,
  userId: string,
  wanted: { id?: string | undefined; name?: string | undefined },
): Promise<Location> {
  const all = await locationsOf(db, userId);
  const location = chosen(all, wanted);
  if (!(await set(db, userId, location.id))) throw notFound(all);
  return { ...location, current_location: true };
}

/**
 * Sets the current location. Tries up to 8 times if the unique index is violated: under snapshot isolation, a
 * transaction does not see that a concurrent one has set another location. The next attempt sees it.
 */
async function set(db: Database, userId: string, id: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const text = "SELECT trainer.set_current_location($1, $2::text::uuid) AS done";
      const [row] = await ask<{ done: boolean }>(db, text, [userId, id]);
      return row?.done === true;
    } catch (error) {
      if (tries === MOST_TRIES || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
}

const UNIQUE_VIOLATION = "23505";
const MOST_TRIES = 8;

function chosen(
  all: readonly Location[],
  { id, name }: { id?: string | undefined; name?: string | undefined },
): Location {
  if (id === undefined && name === undefined)
    throw new PawlError("invalid_input", "Give location_id or location_name.");
  const found =
    id === undefined
      ? all.filter((one) => folded(one.name) === folded(name ?? ""))
      : all.filter((one) => one.id === id.trim().toLowerCase());
  const [location, other] = found;
  if (location === undefined) throw notFound(all);
  if (other === undefined) return location;
  const choices = found.slice(0, 10).map((one) => `${named(one.name)} (${one.id}${detail(one.description)})`);
  throw new PawlError(
    "invalid_input",
    `Several locations have this name; give location_id: ${choices.join("; ")}.`,
  );
}

const folded = (name: string): string => name.trim().toLowerCase();
const detail = (description: string): string => (description === "" ? "" : `, ${named(description)}`);

function notFound(all: readonly Location[]): PawlError {
  const known = all.slice(0, 20).map(({ id, name }) => `${named(name)} (${id})`);
  const hint = known.length === 0 ? "The user has none." : `There are: ${known.join("; ")}.`;
  return new PawlError("not_found", `The user has no such location. ${hint}`);
}
