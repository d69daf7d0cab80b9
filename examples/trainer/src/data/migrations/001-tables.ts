/** Creates the tables of users, goals and history. User ids are text, like those of Pawl's sessions. */
export const tables = `
CREATE TABLE trainer.app_user (
  user_id text PRIMARY KEY,
  display_name text,
  sex text CHECK (sex IN ('female', 'male', 'other')),
  birth_date date,
  height_cm double precision CHECK (height_cm > 0),
  experience text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE trainer.trainer_measurements (
  user_id text NOT NULL,
  measured_on date NOT NULL,
  weight_kg double precision CHECK (weight_kg > 0),
  body_fat_percent double precision CHECK (body_fat_percent BETWEEN 0 AND 100),
  PRIMARY KEY (user_id, measured_on)
);
CREATE TABLE trainer.category_goals (
  user_id text NOT NULL,
  category text NOT NULL,
  weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
  description text,
  PRIMARY KEY (user_id, category)
);
CREATE TABLE trainer.muscle_goals (
  user_id text NOT NULL,
  muscle text NOT NULL,
  weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
  PRIMARY KEY (user_id, muscle)
);
CREATE TABLE trainer.active_preferences (
  user_id text NOT NULL,
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  description text NOT NULL,
  starts_on date NOT NULL,
  ends_on date
);
CREATE INDEX ON trainer.active_preferences (user_id);
CREATE TABLE trainer.user_settings (
  user_id text PRIMARY KEY,
  weight_unit text NOT NULL DEFAULT 'kg' CHECK (weight_unit IN ('kg', 'lb')),
  distance_unit text NOT NULL DEFAULT 'km' CHECK (distance_unit IN ('km', 'mi')),
  session_minutes integer CHECK (session_minutes > 0),
  sessions_per_week integer CHECK (sessions_per_week > 0)
);
CREATE TABLE trainer.workout_history (
  user_id text NOT NULL,
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  call_key text NOT NULL,
  position integer NOT NULL,
  workout_id text NOT NULL,
  workout_title text NOT NULL,
  workout_notes text,
  performed_on date NOT NULL,
  exercise_name text NOT NULL,
  exercise_type text NOT NULL,
  exercise json NOT NULL,
  muscles json NOT NULL,
  goals json NOT NULL,
  logged_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, call_key, position)
);
CREATE INDEX ON trainer.workout_history (user_id, performed_on);
`;
