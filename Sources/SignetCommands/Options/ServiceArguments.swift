import ArgumentParser
import SignetKit

/// Connection to a signing service (`--key csc:https://…`), and time limits of external keys.
/// Secrets are never on the command line.
struct ServiceArguments: ParsableArguments {
    @Option(
        "One-time passwords, one per line",
        value: "file")
    var otpFile: String?
    @Option("One-time password: environment variable", value: "name")
    var otpEnv: String?
    @Option("User name at the signing service", value: "name")
    var serviceUser: String?
    @Option("Service password: first line of this file", value: "file")
    var servicePasswordFile: String?
    @Option("Service password: environment variable", value: "name")
    var servicePasswordEnv: String?
    @Option("OAuth 2.0 client ID, for client credentials or a login in a browser", value: "id")
    var serviceClientID: String?
    @Option("Client secret: first line of file", value: "file")
    var serviceClientSecretFile: String?
    @Option("Client secret: environment variable", value: "name")
    var serviceClientSecretEnv: String?
    @Option("Registered redirect URI (default: this computer, free port)", value: "uri")
    var oauthRedirect: String?
    @Option("Authorization server, if the service does not name or confirm it", value: "url")
    var oauthServer: String?
    @Flag(help: "Print the login URL; prompt for the URL that the browser displays after the login")
    var noBrowser = false
    @Flag(help: "Store a refresh token, so that later runs need no login")
    var keepLogin = false
    @Option("Access token: first line of this file", value: "file")
    var serviceTokenFile: String?
    @Option("Access token: environment variable", value: "name")
    var serviceTokenEnv: String?
    @Option("Root certificates for HTTPS (default: system trust store)", value: "file")
    var serviceTrust: String?
    @Flag(help: "Send credentials over unencrypted HTTP")
    var serviceAllowInsecureAuth = false
    @Option(
        "Time limit per request to a service (default: 20), program (60), confirmation (120) or browser login (300)",
        value: "seconds")
    var keyTimeout: String?

    func validate() throws {
        _ = try Value.seconds(keyTimeout, "--key-timeout")
        try Value.refuseBoth("--otp", otpFile, otpEnv)
        try Value.refuseBoth("--service-password", servicePasswordFile, servicePasswordEnv)
        try Value.refuseBoth(
            "--service-client-secret", serviceClientSecretFile, serviceClientSecretEnv)
        try Value.refuseBoth("--service-token", serviceTokenFile, serviceTokenEnv)
        if serviceUser != nil && (serviceTokenFile ?? serviceTokenEnv) != nil {
            throw ValidationError("--service-user and a service token cannot be combined.")
        }
        if serviceClientID == nil, noBrowser || keepLogin || (oauthRedirect ?? oauthServer) != nil {
            throw ValidationError(
                "--oauth-redirect, --oauth-server, --no-browser and --keep-login require "
                    + "--service-client-id ID.")
        }
        if serviceUser == nil && (servicePasswordFile ?? servicePasswordEnv) != nil {
            throw ValidationError("A service password requires --service-user NAME.")
        }
        if serviceClientID == nil && (serviceClientSecretFile ?? serviceClientSecretEnv) != nil {
            throw ValidationError("A client secret requires --service-client-id ID.")
        }
    }

    /// - Parameter alias: of the key in a file.
    func options(alias: String? = nil) throws -> ServiceOptions {
        var options = ServiceOptions()
        options.alias = alias
        if otpFile != nil || otpEnv != nil {
            options.otp = source(otpFile, otpEnv, "--otp-file FILE or --otp-env NAME")
        }
        options.user = serviceUser
        options.password = source(
            servicePasswordFile, servicePasswordEnv,
            "--service-password-file FILE or --service-password-env NAME")
        options.clientID = serviceClientID
        options.clientSecret = source(
            serviceClientSecretFile, serviceClientSecretEnv,
            "--service-client-secret-file FILE or --service-client-secret-env NAME")
        options.redirect = oauthRedirect
        options.authorizationServer = oauthServer
        options.keepsLogin = keepLogin
        if noBrowser {
            options.redirectedURL = source(nil, nil, "a terminal, or leave out --no-browser")
        }
        if serviceTokenFile != nil || serviceTokenEnv != nil {
            options.token = source(
                serviceTokenFile, serviceTokenEnv,
                "--service-token-file FILE or --service-token-env NAME")
        }
        options.trust = serviceTrust
        options.allowsUnencrypted = serviceAllowInsecureAuth
        options.timeLimit = try Value.seconds(keyTimeout, "--key-timeout")
        return options
    }

    /// The given file or variable; the terminal if neither is given.
    private func source(
        _ file: String?, _ environment: String?, _ options: String
    ) -> PassphraseSource {
        PassphraseOptions.source(
            file: file, environment: environment, confirming: false, for: "the signing service",
            options: options)
    }
}
