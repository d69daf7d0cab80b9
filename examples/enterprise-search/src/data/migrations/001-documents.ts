/**
 * Creates the directory, the documents and the list of words.
 *
 * - A document lists the groups that may see it. Who is in a group is looked up in each search, so a change
 *   of membership rewrites no document.
 * - `tsv` is a generated column, so it cannot differ from the text. The configuration `words` drops accents;
 *   `unaccent()` itself would not be allowed there.
 * - The index has words and groups, so that a search reads no document that the caller may not see. With two
 *   indexes, or one of the words alone, it takes two to three times as long.
 * - `word` has every word of the documents as it is written, for spelling and for how rare a word is.
 */
export const documents = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE TEXT SEARCH CONFIGURATION enterprise_search.words (COPY = pg_catalog.english);
ALTER TEXT SEARCH CONFIGURATION enterprise_search.words
  ALTER MAPPING FOR hword, hword_part, word WITH unaccent, english_stem;
CREATE TABLE enterprise_search.person (
  id integer PRIMARY KEY,
  workspace text NOT NULL,
  first text NOT NULL,
  last text NOT NULL,
  email text NOT NULL,
  department text NOT NULL,
  team text NOT NULL,
  role text NOT NULL,
  UNIQUE (workspace, email)
);
CREATE TABLE enterprise_search.team (
  id integer PRIMARY KEY,
  workspace text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL
);
CREATE TABLE enterprise_search.member (
  person_id integer NOT NULL REFERENCES enterprise_search.person (id),
  team_id integer NOT NULL REFERENCES enterprise_search.team (id),
  PRIMARY KEY (person_id, team_id)
);
CREATE TABLE enterprise_search.documents (
  id text PRIMARY KEY,
  workspace text NOT NULL,
  source text NOT NULL CHECK (source IN ('gmail', 'slack', 'calendar', 'drive')),
  thread text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  people text NOT NULL,
  owner integer NOT NULL,
  participants integer[] NOT NULL,
  place text NOT NULL,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  acl integer[] NOT NULL,
  links text[] NOT NULL,
  tsv tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('enterprise_search.words', title), 'A') ||
    setweight(to_tsvector('enterprise_search.words', people), 'B') ||
    setweight(to_tsvector('enterprise_search.words', body), 'C')) STORED
);
CREATE INDEX documents_words ON enterprise_search.documents USING gin (tsv, acl);
CREATE INDEX documents_of_owner ON enterprise_search.documents (owner, at DESC);
CREATE INDEX documents_by_time ON enterprise_search.documents (workspace, source, at DESC);
CREATE INDEX documents_of_thread ON enterprise_search.documents (thread, at);
CREATE TABLE enterprise_search.word (
  workspace text NOT NULL,
  word text NOT NULL,
  stem text NOT NULL,
  documents integer NOT NULL,
  PRIMARY KEY (workspace, word)
);
CREATE INDEX word_spelling ON enterprise_search.word USING gin (word gin_trgm_ops);
CREATE INDEX word_of_stem ON enterprise_search.word (workspace, stem);
CREATE TABLE enterprise_search.data_set (
  name text PRIMARY KEY,
  documents integer NOT NULL,
  stored integer NOT NULL DEFAULT 0,
  ready_at timestamptz
);
`;
