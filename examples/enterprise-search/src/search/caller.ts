/** The user that a search runs for. The application authenticates them; no model can name another one. */
export interface Caller {
  workspaceId: string;
  email: string;
}

/**
 * SQL that is true for a row, of documents or of words, that the caller may see: it is in the workspace
 * `$1`, and one of its groups has the person with the e-mail address `$2`. A person that is not in the
 * directory sees nothing.
 */
export const visible = (row: string): string => `${row}.workspace = $1 AND ${row}.acl && ARRAY(
  SELECT m.team_id FROM enterprise_search.member m JOIN enterprise_search.person p ON p.id = m.person_id
  WHERE p.workspace = $1 AND p.email = $2)`;

/**
 * SQL that is true for a document `d` that the caller may see.
 *
 * Every statement that reads documents has this condition. Row-level security would turn the text index off:
 * the planner may not apply `@@` before a policy.
 */
export const VISIBLE: string = visible("d");
