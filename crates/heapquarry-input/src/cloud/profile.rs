//! Credentials from the shared files of AWS's own tools: `~/.aws/credentials` and `~/.aws/config`.

use std::{collections::HashMap, env, fs, path::PathBuf};

/// The settings of the selected profile; `None` if the environment has credentials, or there are no such files.
pub(super) fn settings() -> Option<HashMap<String, String>> {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let selected = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    if selected.is_none() && is_set("AWS_ACCESS_KEY_ID") {
        return None;
    }
    let name = selected.unwrap_or_else(|| "default".into());
    let home = || env::home_dir().map(|home| home.join(".aws"));
    let file = |variable, name| {
        let path = env::var_os(variable).map(PathBuf::from).or_else(|| Some(home()?.join(name)));
        fs::read_to_string(path?).ok()
    };
    let mut settings = HashMap::new();
    // Those of the latter file count, as in AWS's tools.
    if let Some(text) = file("AWS_CONFIG_FILE", "config") {
        let section = if name == "default" { name.clone() } else { format!("profile {name}") };
        settings.extend(section_of(&text, &section));
    }
    if let Some(text) = file("AWS_SHARED_CREDENTIALS_FILE", "credentials") {
        settings.extend(section_of(&text, &name));
    }
    (!settings.is_empty()).then_some(settings)
}

/// Ways to get credentials that only AWS's own tools know.
const OTHERS: [&str; 5] =
    ["role_arn", "credential_process", "sso_session", "sso_start_url", "login_session"];

/// Why these settings give no credentials, if they tell to get them in a way that only AWS's own tools know.
pub(super) fn unsupported(settings: &HashMap<String, String>) -> Option<String> {
    let has = |name: &str| settings.contains_key(name);
    let other = OTHERS.into_iter().find(|name| has(name) && !has("aws_access_key_id"))?;
    Some(format!(
        "the profile gets credentials by {other}, which only AWS's own tools can; \
         use those of `aws configure export-credentials --format env`"
    ))
}

/// The settings of a section. Nested ones, which are indented, are left out.
fn section_of(text: &str, name: &str) -> HashMap<String, String> {
    let mut settings = HashMap::new();
    let mut inside = false;
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = section.split_whitespace().collect::<Vec<_>>().join(" ") == name;
        } else if let (true, false, Some((key, value))) = (inside, is_nested, line.split_once('='))
        {
            settings.insert(key.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_read_to_its_end() {
        let text = "[default]\nregion = eu-west-1\n# [x]\n[ profile  two ]\n\
                    aws_access_key_id=A=B\ns3 =\n  endpoint_url = no\n; x = 1\n[x]\nregion=no\n";
        let section = section_of(text, "profile two");
        assert_eq!(section["aws_access_key_id"], "A=B");
        assert_eq!(section.len(), 2, "{section:?}");
        assert_eq!(section_of(text, "default")["region"], "eu-west-1");
        assert!(section_of(text, "none").is_empty());
    }

    #[test]
    fn credentials_of_other_tools_are_no_mystery() {
        for (text, expected) in [
            ("region=eu\naws_access_key_id=A\naws_secret_access_key=B", None),
            ("region=eu", None),
            ("role_arn=arn:x\nsource_profile=default", Some("role_arn")),
            ("sso_session=my", Some("sso_session")),
            ("credential_process=/bin/x", Some("credential_process")),
            ("role_arn=arn:x\naws_access_key_id=A", None),
        ] {
            let why = unsupported(&section_of(&format!("[default]\n{text}"), "default"));
            let is_told = match (&why, expected) {
                (Some(why), Some(name)) => why.contains(name),
                (None, None) => true,
                _ => false,
            };
            assert!(is_told, "{text}: {why:?}");
        }
    }
}
