/**
 * Creates the agents that people make.
 *
 * - A public agent has no workspace. No statement of a user writes one.
 * - `slot` numbers the agents of an owner. So even concurrent requests cannot make more than 50.
 * - The lengths are those of the drafts (`src/custom/agent-draft.ts`).
 */
export const customAgents = `
CREATE TABLE enterprise_search.custom_agent (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(id) <= 60),
  workspace text NOT NULL,
  owner text NOT NULL,
  slot integer NOT NULL CHECK (slot BETWEEN 1 AND 50),
  shared text NOT NULL CHECK (shared IN ('everyone', 'workspace', 'people')),
  people text[] NOT NULL CHECK (cardinality(people) <= 50),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  description text NOT NULL CHECK (length(description) BETWEEN 1 AND 500),
  instructions text NOT NULL CHECK (length(instructions) BETWEEN 1 AND 8000),
  sources text[] NOT NULL CHECK (sources <@ ARRAY['gmail', 'slack', 'calendar', 'drive']),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (workspace, owner, slot),
  CHECK ((shared = 'everyone') = (workspace = '')),
  CHECK ((workspace = '') = (owner = ''))
);
CREATE INDEX custom_agent_shared ON enterprise_search.custom_agent (workspace, shared, updated_at DESC);
`;
