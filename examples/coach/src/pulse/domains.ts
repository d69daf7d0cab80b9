/** The areas of a life. */
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

/** Ratings from 1 (hard) to 5 (thriving). Areas without a rating are absent. */
export type Ratings = { readonly [domain in LifeDomain]?: number };

export const domainIds = lifeDomains.map(({ id }) => id) as [LifeDomain, ...LifeDomain[]];
