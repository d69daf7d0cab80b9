/** The ranked playlists, with the number of players in a team. */
export const teamSizes = { duels: 1, doubles: 2, standard: 3 } as const;

/** A ranked playlist: `duels` is 1v1, `doubles` is 2v2, `standard` is 3v3. */
export type Playlist = keyof typeof teamSizes;

export const playlists: readonly ["duels", "doubles", "standard"] = ["duels", "doubles", "standard"];
