-- Whoever asks before signing in for how a site presents itself asks for one host on a connection for all. Nobody who is bound to one utility needs the
-- brands of the others, so the policy by which everybody could read them goes.
DROP POLICY everybody ON brand;
