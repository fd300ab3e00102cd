// TRUTH {"package": "styled-components", "leaking": "3.2.2", "fixed": "3.2.5", "with": {"react": "15.6.2", "react-dom": "15.6.2"}, "files": ["dist/styled-components.cjs.js"], "owner": ["clones|StyleSheet"], "leaked": ["StyleSheet"], "reported": "styled-components/styled-components#1602"}
const { run, N } = require('../lib/harness');
const React = require('react'), { renderToString } = require('react-dom/server');
const { default: styled, ServerStyleSheet } = require('styled-components');
const Title = styled.h1`color: red;`;
run({
  round() {
    for (let i = 0; i < N / 3; i++) {
      const sheet = new ServerStyleSheet();
      renderToString(sheet.collectStyles(React.createElement(Title, null, 'Shop')));
      sheet.getStyleTags();
    }
  },
});
