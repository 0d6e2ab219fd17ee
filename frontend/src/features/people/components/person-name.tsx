interface PersonNameProps {
  person: { username: string; display_name: string };
}

/** What people are told of, above what they sign in with. */
export function PersonName({ person: { username, display_name } }: PersonNameProps) {
  return (
    <>
      <strong>{display_name || username}</strong>
      <span className="second">{username}</span>
    </>
  );
}
