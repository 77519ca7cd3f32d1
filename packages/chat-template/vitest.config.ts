/** Its own: else Vitest finds that of the repository. */
export default {}
