/** The areas of a life, as the map has them. */
export const lifeDomains = [
  { id: "work", label: "Work" },
  { id: "money", label: "Money" },
  { id: "health", label: "Health" },
  { id: "family", label: "Family" },
  { id: "love", label: "Love" },
  { id: "friends", label: "Friends" },
  { id: "growth", label: "Growth" },
  { id: "play", label: "Play" },
] as const;

export type LifeDomain = (typeof lifeDomains)[number]["id"];

/** How each of them is, from 1 (hard) to 5 (thriving); those that nothing was said of are absent. */
export type Ratings = { readonly [domain in LifeDomain]?: number };

export const domainIds = lifeDomains.map(({ id }) => id) as [LifeDomain, ...LifeDomain[]];
