/**
 * Adds the time at which a free preview was claimed. A claim whose request was never stored, because the
 * process died in between, is over after a while.
 */
export const previewTime = `
ALTER TABLE rl_coach.free_preview ADD COLUMN claimed_at timestamptz NOT NULL DEFAULT now();
`;
