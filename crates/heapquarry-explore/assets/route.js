// Addresses of views: `#/SCREEN/ARGUMENT?PARAMETERS`.

/**
 * @typedef {{ screen: string, argument: string, parameters: URLSearchParams }} Route
 */

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The view that the address names.
 * @returns {Route}
 */
export function current() {
  const hash = location.hash.slice(1);
  const question = hash.indexOf('?');
  const path = question < 0 ? hash : hash.slice(0, question);
  const [, screen = '', argument = ''] = path.split('/');
  return { screen: screen || 'overview', argument: decoded(argument), parameters: new URLSearchParams(question < 0 ? '' : hash.slice(question + 1)) };
}

/**
 * @param {string} screen
 * @param {string | number} [argument]
 * @param {Record<string, string | number | boolean | undefined>} [parameters]
 */
export function address(screen, argument = '', parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '' && value !== false && value !== 0) query.set(name, String(value));
  }
  const path = argument === '' ? `#/${screen}` : `#/${screen}/${encodeURIComponent(argument)}`;
  return query.size ? `${path}?${query}` : path;
}

/** @param {string} to */
export function go(to) {
  location.hash = to;
}

/**
 * What differs within a view, such as the place in a list, is no step for the back button.
 * @param {string} to
 */
export function replaceAddress(to) {
  history.replaceState(null, '', to);
}
