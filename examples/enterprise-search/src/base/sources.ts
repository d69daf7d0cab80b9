/** The sources of documents. People are searched too, but are not documents. */
export const sources = ["gmail", "slack", "calendar", "drive"] as const;
export type Source = (typeof sources)[number];
