/** A stored agent, as statements return it. */
export interface Row {
  id: string;
  workspace: string;
  owner: string;
  shared: "everyone" | "workspace" | "people";
  people: string[];
  name: string;
  description: string;
  instructions: string;
  sources: string[];
}

/** The most agents of one person: as many as there are numbers in the column `slot`. */
export const MOST_OWN = 50;

/** The most agents that are listed. */
const MOST_LISTED = 100;

const COLUMNS = "a.id, a.workspace, a.owner, a.shared, a.name, a.description, a.instructions, a.sources";

/** Finds the caller in the directory: workspace `$1`, e-mail address `$2`. Others have no agents. */
const ME = "enterprise_search.person p WHERE p.workspace = $1 AND p.email = $2";

/** Lists the agents that the caller may use. Only the owner sees with whom else an agent is shared. */
export const LIST = `
  SELECT ${COLUMNS}, CASE WHEN a.owner = me.email THEN a.people
    WHEN a.shared = 'people' THEN ARRAY[me.email] ELSE '{}' END AS people
  FROM (SELECT p.workspace, p.email FROM ${ME}) me JOIN enterprise_search.custom_agent a
    ON a.shared = 'everyone' OR (a.workspace = me.workspace
      AND (a.owner = me.email OR a.shared = 'workspace' OR me.email = ANY(a.people)))
  ORDER BY a.owner = me.email DESC, a.shared = 'everyone' DESC,
    CASE WHEN a.shared <> 'everyone' THEN a.updated_at END DESC, a.id LIMIT ${MOST_LISTED}`;

/** Reads the agents of all people, those that were changed last at the end. */
export const ALL = `
  SELECT ${COLUMNS}, a.people FROM enterprise_search.custom_agent a WHERE a.owner <> '' ORDER BY a.updated_at, a.id`;

/** Returns those of the e-mail addresses `$2` that nobody in the workspace `$1` has. */
export const UNKNOWN = `
  SELECT u.email FROM unnest($2::text::text[]) u(email)
  WHERE NOT EXISTS (SELECT FROM enterprise_search.person p WHERE p.workspace = $1 AND p.email = u.email)`;

/**
 * Inserts an agent under the first free number of its owner. Returns no row if the caller is not in the
 * directory, no `slot` if no number is free, and no `id` if a concurrent statement has taken the number.
 */
export const CREATE = `
  WITH me AS (SELECT p.workspace, p.email, (SELECT min(s.slot) FROM generate_series(1, ${MOST_OWN}) s(slot)
      WHERE NOT EXISTS (SELECT FROM enterprise_search.custom_agent a
        WHERE a.workspace = p.workspace AND a.owner = p.email AND a.slot = s.slot)) AS slot
    FROM ${ME}),
  made AS (INSERT INTO enterprise_search.custom_agent AS a
      (id, workspace, owner, slot, shared, people, name, description, instructions, sources)
    SELECT $3, me.workspace, me.email, me.slot, $4, $5::text::text[], $6, $7, $8, $9::text::text[]
    FROM me WHERE me.slot IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING ${COLUMNS}, a.people)
  SELECT me.slot, made.* FROM me LEFT JOIN made ON true`;

/** The condition of a change: the agent `$3` exists and belongs to `$2` in the workspace `$1`. */
const OWN = `a.id = $3 AND a.workspace = $1 AND a.owner = $2 AND EXISTS (SELECT FROM ${ME})`;

export const UPDATE = `
  UPDATE enterprise_search.custom_agent a SET shared = $4, people = $5::text::text[], name = $6,
    description = $7, instructions = $8, sources = $9::text::text[], updated_at = now()
  WHERE ${OWN} RETURNING ${COLUMNS}, a.people`;

export const REMOVE = `DELETE FROM enterprise_search.custom_agent a WHERE ${OWN} RETURNING a.id`;
