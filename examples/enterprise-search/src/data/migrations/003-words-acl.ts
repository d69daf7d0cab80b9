/**
 * Lists, for each word, the groups of all documents that have it as it is written. Counting documents by the
 * text index would not do: it finds other forms of the word, too, so a form that only hidden documents have
 * would be suggested to people who may see another one.
 *
 * Words that are listed already have no groups. `storeCompany()` lists them again.
 */
export const wordsAcl = `
ALTER TABLE enterprise_search.word ADD COLUMN acl integer[] NOT NULL DEFAULT '{}';
DELETE FROM enterprise_search.word;
UPDATE enterprise_search.data_set SET ready_at = NULL;
`;
