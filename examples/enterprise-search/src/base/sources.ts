/** Where documents come from. People are searched too, but are no documents. */
export const sources = ["gmail", "slack", "calendar", "drive"] as const;
export type Source = (typeof sources)[number];
