import leven from 'leven'

/** The candidate nearest to `name`, at most three edits away; the first one of several that are equally near. */
export function closestMatch(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = furthest + 1
  for (const candidate of candidates) {
    const distance = leven(name, candidate, { maxDistance: least })
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** The help for a word that is not among the known ones: the nearest of them, then all. `label`: `known keys`. */
export function suggestion(word: string, known: readonly string[], label: string): string {
  const near = closestMatch(word, known)
  const all = `${label}: ${known.join(', ')}`
  return near === undefined ? all : `did you mean \`${near}\`? ${all}`
}

/** Edits beyond which two names have nothing to do with each other. */
const furthest = 3
