import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.SignerInformationStore;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.util.CollectionStore;
import org.bouncycastle.util.Store;

/**
 * Signers and countersignatures of CMS messages by Bouncy Castle.
 *
 * verify MESSAGE CONTENT                    verifies all, prints the number of signers
 * countersign MESSAGE KEY CERTIFICATE OUT   countersigns every signer; KEY: PKCS#8 DER of an EC key
 */
public class Countersignatures {
    private static final BouncyCastleProvider provider = new BouncyCastleProvider();

    public static void main(String[] given) throws Exception {
        byte[] message = Files.readAllBytes(Path.of(given[1]));
        if (given[0].equals("verify")) {
            CMSSignedData signed = new CMSSignedData(message);
            if (signed.getSignedContent() == null) {
                byte[] content = Files.readAllBytes(Path.of(given[2]));
                signed = new CMSSignedData(new CMSProcessableByteArray(content), message);
            }
            Store<X509CertificateHolder> known = signed.getCertificates();
            boolean isValid = signed.verifySignatures(id -> {
                for (Object found : known.getMatches(id)) {
                    try {
                        return new JcaSimpleSignerInfoVerifierBuilder().setProvider(provider)
                            .build((X509CertificateHolder) found);
                    } catch (Exception problem) {
                        throw new IllegalStateException(problem);
                    }
                }
                throw new IllegalStateException("no certificate");
            });
            System.out.println(signed.getSignerInfos().size());
            System.exit(isValid ? 0 : 1);
        }
        PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(
            new PKCS8EncodedKeySpec(Files.readAllBytes(Path.of(given[2]))));
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(Files.readAllBytes(Path.of(given[3]))));
        CMSSignedData signed = new CMSSignedData(message);
        CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
        generator.addSignerInfoGenerator(
            new JcaSignerInfoGeneratorBuilder(
                new JcaDigestCalculatorProviderBuilder().setProvider(provider).build())
                .build(
                    new JcaContentSignerBuilder("SHA256withECDSA").setProvider(provider).build(key),
                    certificate));
        List<SignerInformation> signers = signed.getSignerInfos().getSigners().stream()
            .map(signer -> {
                try {
                    return SignerInformation.addCounterSigners(
                        signer, generator.generateCounterSigners(signer));
                } catch (Exception problem) {
                    throw new IllegalStateException(problem);
                }
            }).toList();
        CMSSignedData countersigned =
            CMSSignedData.replaceSigners(signed, new SignerInformationStore(signers));
        List<X509CertificateHolder> all =
            new java.util.ArrayList<>(signed.getCertificates().getMatches(null));
        all.add(new JcaX509CertificateHolder(certificate));
        countersigned = CMSSignedData.replaceCertificatesAndCRLs(
            countersigned, new CollectionStore<>(all), signed.getAttributeCertificates(),
            signed.getCRLs());
        Files.write(Path.of(given[4]), countersigned.getEncoded("DER"));
    }
}
