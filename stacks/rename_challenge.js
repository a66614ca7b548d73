function handler(event) {
  var headers = event.response.headers;
  var challenge = headers['x-amzn-remapped-www-authenticate'];
  if (challenge) {
    headers['www-authenticate'] = challenge;
    delete headers['x-amzn-remapped-www-authenticate'];
  }
  return event.response;
}
