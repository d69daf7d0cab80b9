/**
 * Creates the tables of replays. A replay and its lines are always inserted by one statement, so lines need
 * no foreign key, which would cost a look-up for each.
 */
export const replays = `
CREATE TABLE rl_coach.data_set (
  name text PRIMARY KEY,
  seed text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE rl_coach.replay (
  replay_id text PRIMARY KEY,
  owner_id text,
  playlist text NOT NULL CHECK (playlist IN ('duels', 'doubles', 'standard')),
  played_at timestamptz NOT NULL,
  duration_seconds integer NOT NULL,
  overtime boolean NOT NULL,
  map text NOT NULL,
  blue_goals integer NOT NULL,
  orange_goals integer NOT NULL
);
CREATE INDEX replay_of_owner ON rl_coach.replay (owner_id, played_at) WHERE owner_id IS NOT NULL;
CREATE TABLE rl_coach.line (
  replay_id text NOT NULL,
  player_id text NOT NULL,
  owner_id text,
  is_owner boolean NOT NULL,
  playlist text NOT NULL,
  player_name text NOT NULL,
  team text NOT NULL CHECK (team IN ('blue', 'orange')),
  won boolean NOT NULL,
  rank smallint NOT NULL CHECK (rank BETWEEN 0 AND 21),
  mmr smallint NOT NULL,
  mmr_change smallint,
  score smallint NOT NULL,
  goals smallint NOT NULL,
  assists smallint NOT NULL,
  saves smallint NOT NULL,
  shots smallint NOT NULL CHECK (shots >= goals),
  demos_inflicted smallint NOT NULL,
  demos_taken smallint NOT NULL,
  boost_per_minute real NOT NULL,
  boost_collected_per_minute real NOT NULL,
  average_boost real NOT NULL,
  percent_zero_boost real NOT NULL,
  percent_full_boost real NOT NULL,
  boost_from_small_pads smallint NOT NULL,
  boost_from_big_pads smallint NOT NULL,
  boost_stolen smallint NOT NULL,
  average_speed real NOT NULL,
  percent_supersonic real NOT NULL,
  percent_ground real NOT NULL,
  percent_low_air real NOT NULL,
  percent_high_air real NOT NULL,
  percent_behind_ball real NOT NULL,
  percent_defensive_third real NOT NULL,
  percent_neutral_third real NOT NULL,
  percent_offensive_third real NOT NULL,
  percent_most_back real,
  percent_most_forward real,
  distance_to_ball real NOT NULL,
  percent_possession real NOT NULL,
  touches smallint NOT NULL,
  pads smallint[] NOT NULL CHECK (cardinality(pads) = 34),
  PRIMARY KEY (replay_id, player_id)
);
CREATE INDEX line_of_rank ON rl_coach.line (playlist, rank) WHERE owner_id IS NULL;
CREATE INDEX line_of_owner ON rl_coach.line (owner_id) WHERE is_owner;
`;
