// Questions to the server. Answers are what the command prints as JSON.

/** Why there is no answer, in words for people. */
export class Failure extends Error {
  /** @param {string} message @param {number} [status] of the response, if there was one */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const GONE = 'The server has ended: its terminal says why. Start it again with `heapquarry open`.';

/**
 * Asks a question.
 * @param {string} question
 * @param {Record<string, string | number | boolean | undefined>} [parameters]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(question, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  let response;
  try {
    response = await fetch(`api/${question}?${query}`, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(GONE);
  }
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Failure(`The server cannot answer this (${response.status}).`, response.status);
  }
  if (!response.ok) throw new Failure(answer.error, response.status);
  return answer;
}

/**
 * Asks in SQL: the one question that has a body.
 * @param {{ sql: string, csv: boolean }} query
 * @param {AbortSignal} signal
 * @returns {Promise<Response>}
 */
export async function askSql(query, signal) {
  let response;
  try {
    response = await fetch('api/sql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(query), signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Failure(GONE);
  }
  if (response.ok) return response;
  const text = await response.text();
  let why = `The server cannot answer this (${response.status}).`;
  try {
    why = JSON.parse(text).error;
  } catch {
    // What is too long has no body.
  }
  throw new Failure(why);
}

/** Tells the server that a page is open, until it is closed. Of several pages one does. */
export async function stayAlive() {
  const hold = async () => {
    const response = await fetch('api/alive');
    const reader = response.body?.getReader();
    while (reader && !(await reader.read()).done);
  };
  // Other names than localhost have no locks.
  await (navigator.locks ? navigator.locks.request('heapquarry', hold) : hold());
}
