/** What the server demands of a password. Pure. */
export const LEAST_LENGTH = 12;
