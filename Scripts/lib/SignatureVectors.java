import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.util.HexFormat;

/**
 * Signs with Java's own providers: each argument is KEYTYPE:SCHEME:DIGEST:KEYFILE:MESSAGEFILE, each
 * line of the output the signature in hexadecimal.
 */
public class SignatureVectors {
    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] parts = argument.split(":");
            PrivateKey key = KeyFactory.getInstance(parts[0])
                .generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(Path.of(parts[3]))));
            String digest = parts[2].toUpperCase().replace("SHA3-", "SHA3_")
                .replaceFirst("^SHA(?=[0-9]+$)", "SHA-").replace("SHA3_", "SHA3-");
            String joined = digest.startsWith("SHA3") ? digest : digest.replace("-", "");
            Signature signer;
            switch (parts[1]) {
                case "rsa-pkcs1": signer = Signature.getInstance(joined + "withRSA"); break;
                case "ecdsa": signer = Signature.getInstance(joined + "withECDSA"); break;
                case "dsa": signer = Signature.getInstance(joined + "withDSA"); break;
                case "ed25519": signer = Signature.getInstance("Ed25519"); break;
                default:
                    signer = Signature.getInstance("RSASSA-PSS");
                    int salt = Integer.parseInt(digest.substring(digest.indexOf('-') + 1)) / 8;
                    signer.setParameter(new PSSParameterSpec(
                        digest, "MGF1", new MGF1ParameterSpec(digest), salt, 1));
            }
            signer.initSign(key);
            signer.update(Files.readAllBytes(Path.of(parts[4])));
            System.out.println(HexFormat.of().formatHex(signer.sign()));
        }
    }
}
